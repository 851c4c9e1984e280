import { useCallback, useEffect, useRef, useState } from "react";
import type { ChatChoices, ChatOptions } from "../chat.schema";

interface Source {
  /** The open conversation; undefined for a new one. */
  conversationId: string | undefined;
  defaults: ChatOptions;
  /** The model picked at the top of the page. */
  sessionModel: string | undefined;
  choices: ChatChoices;
}

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
  const own = persona.defaultModel;
  if (own === model) return `Answers with its default model, ${own}`;
  const callable = choices.models.some((candidate) => candidate.id === own);
  return callable
    ? `Answers with ${model} instead of its default model, ${own}`
    : `Its default model, ${own}, isn't available. Answers with ${model}`;
}

/**
 * What the side column says: begins with the conversation's own choices, takes over a persona's model and tools when
 * one is chosen, and follows the model picker at the top of the page.
 */
export function useChatOptions({ conversationId, defaults, sessionModel, choices }: Source) {
  const [options, setOptions] = useState(defaults);
  /** Changes when all choices are replaced, for inputs that keep their own value. */
  const [version, setVersion] = useState(0);
  const shown = useRef(conversationId);
  const named = useRef<string>();
  const picked = useRef(sessionModel);

  useEffect(() => {
    if (conversationId === shown.current) return;
    shown.current = conversationId;
    // A new conversation that just got its name is the one whose choices stand here already.
    if (conversationId !== undefined && conversationId === named.current) return;
    setOptions(defaults);
    setVersion((before) => before + 1);
  }, [conversationId, defaults]);

  useEffect(() => {
    if (sessionModel === picked.current) return;
    picked.current = sessionModel;
    if (sessionModel) setOptions((before) => ({ ...before, model: sessionModel }));
  }, [sessionModel]);

  const change = useCallback(
    (part: Partial<ChatOptions>) => {
      setOptions((before) => {
        const next = { ...before, ...part };
        return part.persona === undefined ? next : withPersona(next, part.persona, choices);
      });
    },
    [choices],
  );

  const name = useCallback((id: string) => {
    named.current = id;
  }, []);

  return { options, version, change, name };
}
