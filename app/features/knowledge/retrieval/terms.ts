/** A text as the keyword index takes it. */
export function indexTerms(text: string): string {
  return text;
}
