const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

export function formatPrice(price: number | null | undefined): string {
  return price === null || price === undefined ? "—" : dollars.format(price);
}

const MAX_DECIMALS = 6;

/** Aligns a column's decimals. */
export function priceColumn(prices: readonly (number | null | undefined)[]) {
  const decimals = prices.map((price) => {
    const fixed = (price ?? 0).toFixed(MAX_DECIMALS).replace(/0+$/, "");
    return fixed.length - fixed.indexOf(".") - 1;
  });
  const max = Math.max(2, ...decimals);
  return (price: number | null | undefined) =>
    price === null || price === undefined ? "—" : `$${price.toFixed(max)}`;
}
