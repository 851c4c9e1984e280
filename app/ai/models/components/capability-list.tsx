import { Badge } from "~/ui/badge";
import { cx } from "~/ui/class-names";
import { CAPABILITY_LABELS, type Capability } from "../model-options.shared";
import type { ModelKind } from "../models.schema";

/** Nearly all models have the others. */
const NOTABLE: readonly Capability[] = ["vision", "function-calling", "reasoning"];

interface CapabilityListProps {
  model: { recommended: boolean; enhanced: boolean; kind: ModelKind; capabilities: readonly Capability[] };
  hidden?: boolean;
  /** Instead of one line. */
  wraps?: boolean;
}

/** Notable capabilities on one line, all of them on hover. */
export function CapabilityList({ model, hidden, wraps }: CapabilityListProps) {
  const notable = model.capabilities.filter((capability) => NOTABLE.includes(capability));
  const isPlain = notable.length === 0 && model.kind === "chat";
  const labels = (capabilities: readonly Capability[]) =>
    capabilities.map((capability) => CAPABILITY_LABELS[capability]).join(", ");
  return (
    <span
      title={labels(model.capabilities) || undefined}
      className={cx("block text-muted text-xs leading-6 *:mr-1.5", !wraps && "whitespace-nowrap")}
    >
      {hidden && <Badge tone="warning">Hidden</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.enhanced && <Badge tone="secondary">MCP</Badge>}
      {model.kind === "embedding" && <Badge tone="info">Embedding</Badge>}
      {labels(isPlain ? ["text"] : notable)}
    </span>
  );
}
