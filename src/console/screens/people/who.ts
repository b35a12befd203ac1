/** Who is shown. The id is not personal data, so it is in the address. */
export interface Who {
  readonly account: string;
  readonly person: string;
}
