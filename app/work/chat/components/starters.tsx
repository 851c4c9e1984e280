import { Link } from "@remix-run/react";
import { ArrowUpRight, MessageSquare, MessageSquareText } from "lucide-react";
import type { ReactNode } from "react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { Avatar } from "~/ui/avatar";
import { HiddenFields } from "~/ui/input";
import type { ChatChoices, ChatOptions, Starter } from "../chat-choices.shared";

const MAX_PERSONAS = 3;

interface StartersProps {
  action: string;
  starters: readonly Starter[];
  personas?: ChatChoices["personas"];
  options: ChatOptions;
  onAsk: (prompt: string, tool: string | undefined) => void;
  onPersona?: (id: string) => void;
}

const ITEM =
  "flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-md border border-line bg-raised px-3 py-2 text-start text-sm hover:border-edge hover:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted";

export function Starters({ action, starters, personas = [], options, onAsk, onPersona }: StartersProps) {
  const { model, persona, maxSteps, effort, memory } = options;
  const visible = personas.filter(({ id }) => id !== persona).slice(0, MAX_PERSONAS);
  if (starters.length + visible.length === 0) return null;
  return (
    <div data-starters="" className="w-full max-w-xl print:hidden">
      <ul
        aria-label="Starters"
        className="grid gap-2 sm:grid-cols-2 sm:[&>li:last-child:nth-child(odd)]:col-span-2"
      >
        {starters.map((starter) => (
          <li key={starter.label} className="flex min-w-0">
            {"prompt" in starter ? (
              <form method="post" action={withBase(action)} className="flex w-full min-w-0">
                <HiddenFields
                  values={{
                    intent: "send",
                    model,
                    persona,
                    maxSteps: String(maxSteps),
                    reasoningEffort: effort,
                    memory: memory ? "on" : "off",
                  }}
                />
                {[...new Set([...options.tools, ...(starter.tool ? [starter.tool] : [])])].map((tool) => (
                  <input key={tool} type="hidden" name="tools" value={tool} />
                ))}
                <button
                  type="submit"
                  name="content"
                  value={starter.prompt}
                  className={ITEM}
                  onClick={(event) => {
                    event.preventDefault();
                    onAsk(starter.prompt, starter.tool);
                  }}
                >
                  <MessageSquareText aria-hidden="true" />
                  <span dir="auto" className="min-w-0">
                    <span className="line-clamp-1 font-medium">{toDisplayText(starter.label)}</span>
                    <span className="line-clamp-1 text-muted text-xs">{toDisplayText(starter.prompt)}</span>
                  </span>
                </button>
              </form>
            ) : (
              <Link to={starter.to} className={ITEM}>
                <ArrowUpRight aria-hidden="true" />
                <span className="min-w-0 font-medium">{starter.label}</span>
              </Link>
            )}
          </li>
        ))}
        {visible.map(({ id, name }) => (
          <li key={id} className="flex min-w-0">
            <Link
              to={`/chat?persona=${encodeURIComponent(id)}`}
              preventScrollReset
              className={ITEM}
              onClick={(event) => {
                if (!onPersona) return;
                event.preventDefault();
                onPersona(id);
              }}
            >
              <Avatar name={name} size="sm" />
              <span className="min-w-0">
                <bdi className="line-clamp-1 font-medium">{toDisplayText(name)}</bdi>
                <span className="line-clamp-1 text-muted text-xs">Persona</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface EmptyConversationProps {
  disabled: boolean;
  takesTools: boolean;
  children: ReactNode;
}

export function EmptyConversation({ disabled, takesTools, children }: EmptyConversationProps) {
  return (
    <div data-empty-conversation="" className="flex flex-col items-center py-4 text-center sm:py-10">
      <MessageSquare aria-hidden="true" className="mb-3 size-6 text-muted" />
      <h2 className="text-md">{disabled ? "No conversation" : "Start a conversation"}</h2>
      {!disabled && (
        <p className="mt-1 mb-5 max-w-md text-pretty text-muted">
          Ask anything.{takesTools && " The model can use the selected tools."}
        </p>
      )}
      {!disabled && children}
    </div>
  );
}
