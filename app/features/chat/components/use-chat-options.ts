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
      const persona = choices.personas.find(({ id }) => part.persona === id);
      const callable = choices.models.some(({ id }) => id === persona?.defaultModel);
      setOptions((before) => ({
        ...before,
        ...part,
        ...(persona ? { tools: persona.tools } : {}),
        ...(persona && callable ? { model: persona.defaultModel } : {}),
      }));
    },
    [choices],
  );

  const name = useCallback((id: string) => {
    named.current = id;
  }, []);

  return { options, version, change, name };
}
