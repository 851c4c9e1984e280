const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});
const whole = new Intl.NumberFormat("en-US");

/** A price per 1,000 tokens; a dash where none is known. */
export function formatPrice(price: number | null | undefined): string {
  return price === null || price === undefined ? "—" : dollars.format(price);
}

export function formatCount(value: number): string {
  return whole.format(value);
}

/** A number with its noun, in the plural where it needs one. */
export function countOf(value: number, noun: string): string {
  return `${whole.format(value)} ${noun}${value === 1 ? "" : "s"}`;
}
