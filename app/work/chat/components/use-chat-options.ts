import { useCallback, useEffect, useRef, useState } from "react";
import type { ChatChoices, ChatOptions } from "../chat-choices.shared";

interface Source {
  opened: string | undefined;
  defaults: ChatOptions;
  choices: ChatChoices;
  onModel: (model: string) => void;
  onCreated: (id: string) => void;
}

export type ChosenOptions = ReturnType<typeof useChatOptions>;

/** Applies a persona's tools, and its model if available; without one, what a chat begins with in their place. */
export function withPersona(options: ChatOptions, id: string, choices: ChatChoices): ChatOptions {
  const persona = choices.personas.find((candidate) => candidate.id === id);
  if (!persona) return { ...options, persona: "", tools: choices.defaultTools, effort: "default" };
  const isAvailable = choices.models.some((model) => model.id === persona.defaultModel);
  const model = isAvailable ? persona.defaultModel : options.model;
  return { ...options, persona: id, tools: persona.tools, model, effort: persona.reasoningEffort };
}

export function personaHint({ persona: id, model }: ChatOptions, choices: ChatChoices): string | undefined {
  const persona = choices.personas.find((candidate) => candidate.id === id);
  if (!persona) return undefined;
  const nameOf = (modelId: string) => choices.models.find((candidate) => candidate.id === modelId)?.name;
  const own = nameOf(persona.defaultModel);
  const other = nameOf(model) ?? model;
  if (persona.defaultModel === model) return `Answers with its default model, ${other}`;
  return own
    ? `Answers with ${other} instead of its default model, ${own}`
    : `Its default model, ${persona.defaultModel}, isn't available. Answers with ${other}`;
}

/** The side column's options: those of the conversation, or of a newly chosen persona. */
export function useChatOptions({ opened, defaults, choices, onModel, onCreated }: Source) {
  const [options, setOptions] = useState(defaults);
  /** Remounts uncontrolled inputs when all choices are replaced. */
  const [version, setVersion] = useState(0);
  const currentId = useRef(opened);
  const createdId = useRef<string>();
  /** Whether a model or persona was selected on this page. */
  const isChosen = useRef(false);

  useEffect(() => {
    if (opened === currentId.current) {
      // The header saves a model too, before hydration and in other tabs; a choice made here takes precedence.
      const { model } = defaults;
      if (!isChosen.current) setOptions((before) => (before.model === model ? before : { ...before, model }));
      return;
    }
    currentId.current = opened;
    // The conversation that was just created; its choices are already shown.
    if (opened !== undefined && opened === createdId.current) return;
    isChosen.current = false;
    setOptions(defaults);
    setVersion((before) => before + 1);
  }, [opened, defaults]);

  const change = useCallback(
    (part: Partial<ChatOptions>) => {
      if (part.model !== undefined || part.persona !== undefined) isChosen.current = true;
      setOptions((before) => {
        const next = { ...before, ...part };
        return part.persona === undefined ? next : withPersona(next, part.persona, choices);
      });
    },
    [choices],
  );

  const chooseModel = useCallback(
    (model: string) => {
      isChosen.current = true;
      setOptions((before) => ({ ...before, model }));
      onModel(model);
    },
    [onModel],
  );

  const noteCreated = useCallback(
    (id: string) => {
      createdId.current = id;
      onCreated(id);
    },
    [onCreated],
  );

  return { options, version, change, chooseModel, noteCreated };
}
