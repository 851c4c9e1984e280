import { Badge } from "~/ui/badge";

const LABELS: Record<string, string> = {
  vision: "Vision",
  tools: "Tools",
  reasoning: "Reasoning",
  embeddings: "Embeddings",
};

export const abilityLabel = (ability: string) => LABELS[ability] ?? ability;

export function Abilities({ abilities }: { abilities: readonly string[] }) {
  return abilities.map((ability) => <Badge key={ability}>{abilityLabel(ability)}</Badge>);
}
