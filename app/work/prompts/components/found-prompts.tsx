import { Link } from "@remix-run/react";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { textMatcher } from "~/core/language/find-words.shared";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { Field, Input } from "~/ui/input";
import { writeText } from "~/ui/typed-fields";
import { fillPrompt, refuseBlank } from "../prompt-variables.shared";
import type { OfferedPrompt, Prompt } from "../prompts.schema";

interface PromptBlanksProps {
  prompt: Pick<Choice, "name" | "variables">;
  onFill: (values: Map<string, string>) => void;
  onCancel: () => void;
}

/** Nameless fields within the chat's form, so that they aren't sent. */
function PromptBlanks({ prompt, onFill, onCancel }: PromptBlanksProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => group.current?.querySelector("input")?.focus(), []);
  const [refusals, setRefusals] = useState<(string | undefined)[]>([]);
  const fill = () => {
    const inputs = [...(group.current?.querySelectorAll("input") ?? [])];
    const values = prompt.variables.map((_, index) => inputs[index]?.value ?? "");
    const errors = prompt.variables.map((variable, index) => refuseBlank(variable, values[index]));
    setRefusals(errors);
    const first = errors.findIndex((refusal) => refusal !== undefined);
    if (first >= 0) inputs[first]?.focus();
    else onFill(new Map(prompt.variables.map(({ name }, index) => [name, values[index] ?? ""])));
  };
  return (
    <fieldset
      ref={group}
      aria-label={`Variables of ${prompt.name}`}
      className="flex max-h-80 flex-col gap-3 overflow-y-auto rounded-md border border-line bg-raised p-3 shadow-float"
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        else if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        else fill();
        event.preventDefault();
      }}
    >
      <p className="font-medium text-sm">{prompt.name}</p>
      {prompt.variables.map(({ name, fallback, required }, index) => (
        <Field key={name} label={name} error={refusals[index]} required={required}>
          <Input defaultValue={fallback} autoComplete="off" />
        </Field>
      ))}
      <div className="flex justify-end gap-2">
        <Button size="sm" type="button" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" type="button" variant="primary" onClick={fill}>
          Insert
        </Button>
      </div>
    </fieldset>
  );
}

const MAX_SHOWN = 8;

/** Undefined until the first search has ended. */
function useFound(query: string | undefined): Prompt[] | undefined {
  const [prompts, setPrompts] = useState<Prompt[]>();
  useEffect(() => {
    if (query === undefined) {
      setPrompts(undefined);
      return;
    }
    const controller = new AbortController();
    const parameters = new URLSearchParams({ find: query.trim(), limit: String(MAX_SHOWN) });
    fetch(withBase(`/api/prompts?${parameters}`), { signal: controller.signal })
      .then(async (response) => setPrompts(response.ok ? ((await response.json()) as Prompt[]) : []))
      .catch(() => undefined);
    return () => controller.abort();
  }, [query]);
  return prompts;
}

function write(field: HTMLTextAreaElement, text: string): void {
  writeText(field, text);
  field.focus();
}

interface FoundPromptsProps {
  field: RefObject<HTMLTextAreaElement | undefined>;
  /** Text after the slash; undefined while closed. */
  query: string | undefined;
  close: () => void;
}

/** Matching prompts, then the fields of the chosen one. */
export function FoundPrompts({ field, query, close }: FoundPromptsProps) {
  const id = useId();
  const stored = useFound(query);
  const offered = useServerPrompts(query);
  const choices: Choice[] = [...(stored ?? []), ...offered].slice(0, MAX_SHOWN);
  const [at, setAt] = useState(0);
  const [chosen, setChosen] = useState<Choice>();
  const [problem, setProblem] = useState("");
  const active = choices[Math.min(at, choices.length - 1)];
  const isOpen = query !== undefined && choices.length > 0;

  const insert = async ({ text, from }: Choice, values: ReadonlyMap<string, string>) => {
    const target = field.current;
    if (!target) return;
    if (!from) return write(target, fillPrompt(text, values));
    const filled = await fillAtServer(from, values);
    if ("text" in filled) write(target, filled.text);
    else setProblem(filled.problem);
  };
  const choose = (prompt: Choice) => {
    close();
    setAt(0);
    setProblem("");
    if (prompt.variables.length > 0) setChosen(prompt);
    else void insert(prompt, new Map());
  };

  const keys = useRef<(event: KeyboardEvent) => void>(() => undefined);
  keys.current = (event) => {
    if (!isOpen || !active || event.isComposing) return;
    const { key, shiftKey } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : -1;
      setAt((choices.indexOf(active) + step + choices.length) % choices.length);
    } else if (key === "Enter" || (key === "Tab" && !shiftKey)) choose(active);
    else if (key === "Escape") close();
    else return;
    event.preventDefault();
    // Its keys would send the message.
    event.stopPropagation();
  };
  useEffect(() => {
    const element = field.current;
    const listen = (event: KeyboardEvent) => keys.current(event);
    element?.addEventListener("keydown", listen);
    return () => element?.removeEventListener("keydown", listen);
  }, [field]);

  const option = (prompt: Choice) => `${id}-${prompt.id}`;
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.setAttribute("aria-autocomplete", "list");
    if (!isOpen || !active) {
      element.removeAttribute("aria-activedescendant");
      element.removeAttribute("aria-controls");
      return;
    }
    element.setAttribute("aria-controls", `${id}-list`);
    element.setAttribute("aria-activedescendant", `${id}-${active.id}`);
  }, [field, isOpen, active, id]);

  return (
    <>
      {isOpen && (
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label="Prompts"
          className="max-h-64 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float"
        >
          {choices.map((prompt) => (
            // Focus stays in the field (active descendant).
            <div
              key={prompt.id}
              id={option(prompt)}
              role="option"
              tabIndex={-1}
              aria-selected={prompt === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(prompt)}
              onKeyDown={(event) => event.key === "Enter" && choose(prompt)}
              className={cx(
                "flex min-h-9 min-w-0 cursor-pointer items-baseline gap-2 rounded-sm px-2 py-1.5 pointer-coarse:min-h-11",
                prompt === active ? "bg-primary-soft" : "hover:bg-hover",
              )}
            >
              <span className="max-w-[50%] shrink-0 truncate font-medium text-sm">{prompt.name}</span>
              <span className="min-w-0 truncate text-muted text-xs">
                {prompt.text.slice(0, 160).toWellFormed()}
              </span>
            </div>
          ))}
        </div>
      )}
      {query !== undefined && stored?.length === 0 && choices.length === 0 ? (
        <p role="status" className="text-muted text-xs">
          No prompts found.{" "}
          <Link to="/prompts?dialog=new" className="text-primary-ink underline">
            New Prompt
          </Link>
        </p>
      ) : (
        <p role="status" className="sr-only">
          {query === undefined ? "" : choices.length === 1 ? "1 prompt" : `${choices.length} prompts`}
        </p>
      )}
      {problem && (
        <p role="alert" className="text-danger-ink text-xs">
          {problem}
        </p>
      )}
      {chosen && (
        <PromptBlanks
          prompt={chosen}
          onCancel={() => {
            setChosen(undefined);
            field.current?.focus();
          }}
          onFill={(values) => {
            setChosen(undefined);
            void insert(chosen, values);
          }}
        />
      )}
    </>
  );
}

/** From the library or an MCP server. */
type Choice = Pick<Prompt, "id" | "name" | "text" | "variables"> & { from?: OfferedPrompt };

const toChoice = (from: OfferedPrompt): Choice => ({
  id: `${from.server}-${from.name}`.replaceAll(/[^\w-]/g, "_"),
  name: from.title,
  text: `${from.serverTitle}: ${from.description}`,
  variables: from.arguments.map(({ name, required }) => ({ name, fallback: "", required })),
  from,
});

/** Loaded once, on first use. */
function useServerPrompts(query: string | undefined): Choice[] {
  const [all, setAll] = useState<Choice[]>([]);
  const isLoaded = useRef(false);
  useEffect(() => {
    if (query === undefined || isLoaded.current) return;
    isLoaded.current = true;
    fetch(withBase("/api/mcp-prompts"))
      .then(async (response) => {
        if (response.ok) setAll(((await response.json()) as OfferedPrompt[]).map(toChoice));
      })
      .catch(() => undefined);
  }, [query]);
  if (query === undefined) return [];
  const matches = textMatcher(query);
  return all.filter(({ name, text }) => matches(`${name} ${text}`));
}

/** @returns the filled text, or why there is none */
export async function fillAtServer(
  { server, name }: OfferedPrompt,
  values: ReadonlyMap<string, string>,
): Promise<{ text: string } | { problem: string }> {
  try {
    const response = await fetch(withBase("/api/mcp-prompts"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ server, name, values: Object.fromEntries(values) }),
    });
    return response.ok
      ? ((await response.json()) as { text: string })
      : { problem: await problemDetail(response) };
  } catch {
    return { problem: UNREACHABLE };
  }
}
