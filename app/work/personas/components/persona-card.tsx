import { Form } from "@remix-run/react";
import { Copy, Cpu, Download, Ellipsis, Eye, MessageSquare, Pencil, Trash2, Wrench } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, IconLink } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { Menu, MenuLink } from "~/ui/menu";
import { SampleOf } from "~/ui/sample-of";
import { RelativeTime } from "~/ui/time";
import type { Persona } from "../personas.schema";
import { MODE_VARIANTS } from "../personas.shared";

interface PersonaCardProps {
  persona: Persona;
  /** The default model's name; undefined while no provider serves it. */
  modelName: string | undefined;
  /** Just created: highlighted. */
  isNew: boolean;
  /** Disabled by an admin. */
  disabledTools: readonly string[];
  /** Reasons by unavailable tool. */
  missing: Readonly<Record<string, string>>;
  links?: { edit: string; copy: string; exported: string; remove: string } | undefined;
  mayChat: boolean;
}

export function PersonaCard(props: PersonaCardProps) {
  const { persona, modelName, isNew, disabledTools, missing, links, mayChat } = props;
  const mode = MODE_VARIANTS[persona.mode];
  return (
    <article
      className={cx(
        "flex h-full min-w-0 flex-col rounded-lg border bg-surface p-4 shadow-card",
        isNew ? "border-primary" : "border-line",
      )}
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="break-words text-sm">
            {persona.name} <SampleOf id={persona.id} />
          </h2>
          <p className="mt-0.5 text-muted text-xs">
            Created <RelativeTime at={persona.createdAt} style="date" />
          </p>
        </div>
        {links && (
          <div className="-mt-1 -mr-1.5 flex">
            <IconLink to={links.edit} preventScrollReset label={`Edit ${persona.name}`} icon={<Pencil />} />
            <Menu
              label={`More actions for ${persona.name}`}
              button={<Ellipsis className="size-4" />}
              buttonClassName="grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
            >
              <MenuLink to={links.copy} icon={<Copy />} label={`Duplicate ${persona.name}`}>
                Duplicate
              </MenuLink>
              <MenuLink
                to={links.exported}
                reloadDocument
                icon={<Download />}
                label={`Export ${persona.name}`}
              >
                Export
              </MenuLink>
              <MenuLink to={links.remove} icon={<Trash2 />} label={`Delete ${persona.name}`}>
                Delete
              </MenuLink>
            </Menu>
          </div>
        )}
      </header>
      <p className="mt-3 mb-4 line-clamp-3 sm:min-h-15 whitespace-pre-line text-muted">
        {persona.systemPrompt || "No system prompt"}
      </p>
      <footer className="mt-auto flex flex-wrap gap-1.5">
        <Badge tone={mode.tone}>{mode.label}</Badge>
        <span title={persona.defaultModel} className="inline-flex min-w-0">
          <Badge icon={<Cpu />} mono={modelName === undefined}>
            {modelName ?? persona.defaultModel}
          </Badge>
        </span>
        {persona.visibility !== "everyone" && (
          <Badge icon={<Eye />}>{persona.visibility === "own" ? "Private" : "Groups"}</Badge>
        )}
        <ToolBadges tools={persona.tools} disabledTools={disabledTools} />
      </footer>
      <MissingTools reasons={persona.tools.flatMap((tool) => missing[tool] ?? [])} />
      {mayChat && (
        <Form method="post" action="/chat" className="mt-4">
          <input type="hidden" name="persona" value={persona.id} />
          <Button
            size="sm"
            name="intent"
            value="persona"
            icon={<MessageSquare />}
            aria-label={`Chat with ${persona.name}`}
          >
            Chat
          </Button>
        </Form>
      )}
    </article>
  );
}

function MissingTools({ reasons }: { reasons: readonly string[] }) {
  const [first, ...others] = reasons;
  if (first === undefined) return null;
  return (
    <p className="wrap-anywhere mt-2 text-warning-ink text-xs" title={reasons.join("\n")}>
      {first}
      {others.length > 0 &&
        ` ${others.length} more ${others.length === 1 ? "tool is" : "tools are"} missing.`}
    </p>
  );
}

/** Tools shown as badges; the rest are counted. */
const MAX_BADGES = 2;

function ToolBadges({
  tools,
  disabledTools,
}: Pick<Persona, "tools"> & Pick<PersonaCardProps, "disabledTools">) {
  const label = (tool: string) => (disabledTools.includes(tool) ? `${tool} (turned off)` : tool);
  const rest = tools.slice(MAX_BADGES).map(label).join(", ");
  return (
    <>
      {tools.slice(0, MAX_BADGES).map((tool) => (
        <Badge key={tool} icon={<Wrench />} mono>
          {label(tool)}
        </Badge>
      ))}
      {rest && (
        <span title={rest}>
          <Badge>
            +{tools.length - MAX_BADGES}
            <span className="sr-only"> more: {rest}</span>
          </Badge>
        </span>
      )}
    </>
  );
}
