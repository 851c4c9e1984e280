import { EFFECT_LABELS } from "~/ai/tools/effects.schema";
import { Badge } from "~/ui/badge";
import type { Plugin } from "../plugins.schema";

export function ToolList({ tools }: { tools: Plugin["tools"] }) {
  if (tools.length === 0) return <p className="text-muted">No tools yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {tools.map(({ name, title, effect }) => (
        <li key={name} className="flex items-start justify-between gap-3">
          <div className="min-w-0">
            <p className="wrap-anywhere">{title}</p>
            <p className="wrap-anywhere font-mono text-muted text-xs">{name}</p>
          </div>
          <Badge>{EFFECT_LABELS[effect]}</Badge>
        </li>
      ))}
    </ul>
  );
}
