import { ABILITY_LABELS, type ModelFacts } from "../model-facts.shared";

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 3,
  trailingZeroDisplay: "stripIfInteger",
});
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** "$2.50 in, $10 out per 1M", "128K context", "Vision, Tools": what is known. */
export function describeFacts(facts: ModelFacts | undefined): string[] {
  if (!facts) return [];
  const { price, context, abilities } = facts;
  const isFree = price?.input === 0 && price.output === 0;
  return [
    price &&
      (isFree ? "Free" : `${dollars.format(price.input)} in, ${dollars.format(price.output)} out per 1M`),
    context !== undefined && `${compact.format(context)} context`,
    abilities.map((ability) => ABILITY_LABELS[ability]).join(", "),
  ].filter((part): part is string => Boolean(part));
}
