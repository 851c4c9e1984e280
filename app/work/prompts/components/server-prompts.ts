import { useEffect, useRef, useState } from "react";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import type { OfferedPrompt, Prompt } from "../prompts.schema";

/** From the library or an MCP server. */
export type Choice = Pick<Prompt, "id" | "name" | "text" | "variables"> & { from?: OfferedPrompt };

const toChoice = (from: OfferedPrompt): Choice => ({
  id: `${from.server}-${from.name}`.replaceAll(/[^\w-]/g, "_"),
  name: from.title,
  text: `${from.serverTitle}: ${from.description}`,
  variables: from.arguments.map(({ name, required }) => ({ name, fallback: "", required })),
  from,
});

const matches = ({ name, text }: Choice, find: string) =>
  `${name}\n${text}`.toLowerCase().includes(find.toLowerCase());

/** Loaded once, on first use. */
export function useServerPrompts(query: string | undefined): Choice[] {
  const [all, setAll] = useState<Choice[]>([]);
  const isLoaded = useRef(false);
  useEffect(() => {
    if (query === undefined || isLoaded.current) return;
    isLoaded.current = true;
    fetch("/api/mcp-prompts")
      .then(async (response) => {
        if (response.ok) setAll(((await response.json()) as OfferedPrompt[]).map(toChoice));
      })
      .catch(() => undefined);
  }, [query]);
  return query === undefined ? [] : all.filter((choice) => matches(choice, query.trim()));
}

/** @returns the filled text, or why there is none */
export async function fillAtServer(
  { server, name }: OfferedPrompt,
  values: ReadonlyMap<string, string>,
): Promise<{ text: string } | { problem: string }> {
  try {
    const response = await fetch("/api/mcp-prompts", {
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
