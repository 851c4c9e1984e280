const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

/** A price per 1,000 tokens; a dash where none is known. */
export function formatPrice(price: number | null | undefined): string {
  return price === null || price === undefined ? "—" : dollars.format(price);
}
