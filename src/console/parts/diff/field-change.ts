// A field of a record before and after a change.
export interface FieldChange {
  readonly field: string;
  /** Null: the field is not there. */
  readonly before: string | null;
  readonly after: string | null;
}
