import { textMatcher } from "~/core/language/find-words.shared";
import { ABILITY_LABELS, type ModelFacts } from "./model-facts.shared";
import type { OfferedModel } from "./model-picker.shared";

export interface FoundModel extends OfferedModel {
  facts: ModelFacts | undefined;
}

export interface FoundModels {
  groups: { label: string; models: FoundModel[] }[];
  /** Number of matches that aren't among them. */
  left: number;
}

/** Rows of an open picker: a list of 2,000 takes a browser seconds to draw. */
const MAX_SHOWN = 50;

const RECOMMENDED = "Recommended";
const NOT_AVAILABLE = "Not available";

function groupOf({ available, provider, facts }: FoundModel): string {
  if (available === false) return NOT_AVAILABLE;
  return facts?.recommended ? RECOMMENDED : provider;
}

const textOf = ({ id, name, provider, facts }: FoundModel): string =>
  [id, name, provider, ...(facts?.abilities ?? []).map((ability) => ABILITY_LABELS[ability])].join(" ");

/**
 * Models with every word of the query in id, name, provider or abilities: recommended ones first, then each provider's,
 * then those that can't be called.
 */
export function findModels(
  models: readonly OfferedModel[],
  facts: ReadonlyMap<string, ModelFacts>,
  query: string,
): FoundModels {
  const matches = textMatcher(query);
  const byGroup = new Map<string, FoundModel[]>([[RECOMMENDED, []]]);
  let count = 0;
  for (const model of models) {
    const found = { ...model, facts: facts.get(model.id) };
    if (query !== "" && !matches(textOf(found))) continue;
    count++;
    const group = groupOf(found);
    const members = byGroup.get(group);
    if (members) members.push(found);
    else byGroup.set(group, [found]);
  }
  const missing = byGroup.get(NOT_AVAILABLE);
  byGroup.delete(NOT_AVAILABLE);
  if (missing) byGroup.set(NOT_AVAILABLE, missing);
  let room = MAX_SHOWN;
  const groups = [...byGroup].flatMap(([label, all]) => {
    const shown = all.slice(0, room);
    room -= shown.length;
    return shown.length > 0 ? [{ label, models: shown }] : [];
  });
  return { groups, left: Math.max(0, count - MAX_SHOWN) };
}
