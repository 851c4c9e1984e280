import { Badge } from "~/ui/badge";
import type { Capability } from "../capabilities.shared";
import type { ModelKind } from "../models.schema";

interface CapabilityWordsProps {
  model: { recommended: boolean; enhanced: boolean; kind: ModelKind; capabilities: readonly Capability[] };
  hidden?: boolean;
}

/** Notable capabilities as badges, the rest as text. */
export function CapabilityList({ model, hidden }: CapabilityWordsProps) {
  return (
    <span className="block min-w-56 text-muted text-xs leading-6 *:mr-1.5">
      {hidden && <Badge tone="warning">Hidden</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.enhanced && <Badge tone="secondary">MCP</Badge>}
      {model.kind === "embedding" && <Badge tone="info">embedding</Badge>}
      {model.capabilities.join(", ")}
    </span>
  );
}
