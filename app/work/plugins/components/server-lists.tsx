import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { countOf } from "~/ui/format";
import type { McpServer } from "../mcp/mcp.schema";

/** Inserted by "/" in chat. */
export function ServerPrompts({ prompts }: Pick<McpServer, "prompts">) {
  if (prompts.length === 0) return null;
  return (
    <List title={countOf(prompts.length, "prompt")} hint='Type "/" in a message to insert one.'>
      {prompts.map(({ name, title, description, arguments: all }) => (
        <li key={name} className="border-line py-2 not-last:border-b">
          <p className="flex flex-wrap items-center gap-2">
            <span className="break-all font-mono text-sm">{name}</span>
            {title !== name && <span className="text-muted text-xs">{title}</span>}
            {all.map((argument) => (
              <Badge key={argument.name} mono>
                {argument.required ? argument.name : `${argument.name} (optional)`}
              </Badge>
            ))}
          </p>
          {description && <p className="break-words text-muted text-xs">{description}</p>}
        </li>
      ))}
    </List>
  );
}

/** Read by the tool `read_resource`. */
export function ServerResources({ resources }: Pick<McpServer, "resources">) {
  if (resources.length === 0) return null;
  return (
    <List title={countOf(resources.length, "resource")} hint="Models read them with the tool read_resource.">
      {resources.map(({ uri, name, description, mediaType, template }) => (
        <li key={uri} className="border-line py-2 not-last:border-b">
          <p className="flex flex-wrap items-center gap-2">
            <span className="text-sm">{name}</span>
            {template && <Badge>Template</Badge>}
            {mediaType && <span className="text-muted text-xs">{mediaType}</span>}
          </p>
          <p className="break-all font-mono text-muted text-xs">{uri}</p>
          {description && <p className="break-words text-muted text-xs">{description}</p>}
        </li>
      ))}
    </List>
  );
}

function List({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <details className="group border-line border-t">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-1.5 font-medium text-sm hover:text-primary-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        {title}
      </summary>
      <p className="text-muted text-xs">{hint}</p>
      <ul className="flex flex-col pb-2">{children}</ul>
    </details>
  );
}
