import { EFFECT_LABELS } from "~/features/tools/effects.schema";
import { Badge } from "~/ui/badge";
import type { Plugin } from "../plugins.schema";

export function ToolList({ tools }: { tools: Plugin["tools"] }) {
  if (tools.length === 0) return <p className="text-muted">No tools yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {tools.map(({ name, title, effect }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-all font-mono text-xs">{name}</span>
          <Badge>{EFFECT_LABELS[effect]}</Badge>
          <span className="text-muted text-xs">{title}</span>
        </li>
      ))}
    </ul>
  );
}
