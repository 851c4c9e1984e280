import { createContext, type FormEventHandler } from "react";

export interface Sharing {
  /** Action of the conversation's forms. */
  action: string;
  allowed: boolean;
  /** With JavaScript: sends the form without a navigation. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

export const SharingContext = createContext<Sharing | undefined>(undefined);

/** Provides the sharing permission to the tool calls of a conversation that the user may continue. */
export const SharingProvider = SharingContext.Provider;
