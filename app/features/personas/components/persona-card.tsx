import { Cpu, Pencil, Trash2, Wrench } from "lucide-react";
import { Badge } from "~/ui/badge";
import { IconLink } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { RelativeTime } from "~/ui/time";
import type { Persona } from "../personas.schema";
import { MODE_LOOKS } from "./modes";

interface PersonaCardProps {
  persona: Persona;
  /** Just created: stands out. */
  fresh: boolean;
  /** Names of tools that an admin switched off. */
  switchedOff: readonly string[];
  /** Where its two controls lead; absent for who may not change it. */
  links?: { edit: string; remove: string } | undefined;
}

export function PersonaCard({ persona, fresh, switchedOff, links }: PersonaCardProps) {
  const mode = MODE_LOOKS[persona.mode];
  return (
    <article
      className={cx(
        "flex h-full min-w-0 flex-col rounded-lg border bg-surface p-4 shadow-card",
        fresh ? "border-primary" : "border-line",
      )}
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="break-words text-sm">{persona.name}</h2>
          <p className="mt-0.5 text-muted text-xs">
            Created <RelativeTime at={persona.createdAt} style="date" />
          </p>
        </div>
        {links && (
          <div className="-mt-1 -mr-1.5 flex">
            <IconLink
              to={links.edit}
              preventScrollReset
              label={`Edit ${persona.name}`}
              icon={<Pencil aria-hidden="true" />}
            />
            <IconLink
              to={links.remove}
              preventScrollReset
              label={`Delete ${persona.name}`}
              icon={<Trash2 aria-hidden="true" />}
            />
          </div>
        )}
      </header>
      <p className="mt-3 mb-4 line-clamp-3 min-h-15 whitespace-pre-line text-muted">
        {persona.systemPrompt || "No system prompt"}
      </p>
      <footer className="mt-auto flex flex-wrap gap-1.5">
        <Badge tone={mode.tone}>{mode.label}</Badge>
        <Badge icon={<Cpu aria-hidden="true" />} mono>
          {persona.defaultModel}
        </Badge>
        {persona.tools.map((tool) => (
          <Badge
            key={tool}
            {...(switchedOff.includes(tool) ? {} : { tone: "primary" as const })}
            icon={<Wrench aria-hidden="true" />}
            mono
          >
            {switchedOff.includes(tool) ? `${tool} (switched off)` : tool}
          </Badge>
        ))}
      </footer>
    </article>
  );
}
