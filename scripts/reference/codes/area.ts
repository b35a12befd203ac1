/** The codes of one area, as a table of the reference. */
export interface CodeArea {
  readonly title: string;
  /** Where these codes show, and what they stop. */
  readonly about: string;
  /** Code, what it means, what to do. */
  readonly codes: readonly (readonly [code: string, meaning: string, action: string])[];
}
