const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

/** A price per 1,000 tokens; a dash where none is known. */
export function formatPrice(price: number | null | undefined): string {
  return price === null || price === undefined ? "—" : dollars.format(price);
}

const MOST_DECIMALS = 6;

/** Formats the prices of one table with as many decimals as the most exact of them has, so that they line up. */
export function priceColumn(prices: readonly (number | null | undefined)[]) {
  const decimals = prices.map((price) => {
    const fixed = (price ?? 0).toFixed(MOST_DECIMALS).replace(/0+$/, "");
    return fixed.length - fixed.indexOf(".") - 1;
  });
  const most = Math.max(2, ...decimals);
  return (price: number | null | undefined) =>
    price === null || price === undefined ? "—" : `$${price.toFixed(most)}`;
}
