import { useCallback, useEffect, useRef, useState } from "react";
import type { ChatChoices, ChatOptions } from "../chat-choices.schema";

interface Source {
  /** What is open: a conversation's id, or what a new one begins with. */
  opened: string | undefined;
  defaults: ChatOptions;
  choices: ChatChoices;
  /** Keeps a model that was chosen, on the server. */
  onModel: (model: string) => void;
  /** Opens the address of the conversation that just got its id. */
  onNamed: (id: string) => void;
}

export type ChosenOptions = ReturnType<typeof useChatOptions>;

/** The options with a persona taken over: its tools, and its model where that can be called. */
export function withPersona(options: ChatOptions, id: string, choices: ChatChoices): ChatOptions {
  const persona = choices.personas.find((candidate) => candidate.id === id);
  if (!persona) return { ...options, persona: "" };
  const callable = choices.models.some((model) => model.id === persona.defaultModel);
  const model = callable ? persona.defaultModel : options.model;
  return { ...options, persona: id, tools: persona.tools, model };
}

/** Says which model answers for a persona. */
export function personaHint({ persona: id, model }: ChatOptions, choices: ChatChoices): string | undefined {
  const persona = choices.personas.find((candidate) => candidate.id === id);
  if (!persona) return undefined;
  const nameOf = (wanted: string) => choices.models.find((candidate) => candidate.id === wanted)?.name;
  const own = nameOf(persona.defaultModel);
  const other = nameOf(model) ?? model;
  if (persona.defaultModel === model) return `Answers with its default model, ${other}`;
  return own
    ? `Answers with ${other} instead of its default model, ${own}`
    : `Its default model, ${persona.defaultModel}, isn't available. Answers with ${other}`;
}

/**
 * What the side column says: begins with the conversation's own choices, and takes over a persona's model and tools when
 * one is chosen.
 */
export function useChatOptions({ opened, defaults, choices, onModel, onNamed }: Source) {
  const [options, setOptions] = useState(defaults);
  /** Changes when all choices are replaced, for inputs that keep their own value. */
  const [version, setVersion] = useState(0);
  const shown = useRef(opened);
  const named = useRef<string>();

  useEffect(() => {
    if (opened === shown.current) return;
    shown.current = opened;
    // A new conversation that just got its name is the one whose choices stand here already.
    if (opened !== undefined && opened === named.current) return;
    setOptions(defaults);
    setVersion((before) => before + 1);
  }, [opened, defaults]);

  const change = useCallback(
    (part: Partial<ChatOptions>) => {
      setOptions((before) => {
        const next = { ...before, ...part };
        return part.persona === undefined ? next : withPersona(next, part.persona, choices);
      });
    },
    [choices],
  );

  const chooseModel = useCallback(
    (model: string) => {
      setOptions((before) => ({ ...before, model }));
      onModel(model);
    },
    [onModel],
  );

  const name = useCallback(
    (id: string) => {
      named.current = id;
      onNamed(id);
    },
    [onNamed],
  );

  return { options, version, change, chooseModel, name };
}
