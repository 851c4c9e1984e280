import { createContext, type FormEventHandler } from "react";

export interface Sharing {
  /** Where the conversation's forms are sent. */
  action: string;
  allowed: boolean;
  /** Sends the form without leaving the page, where there is script. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

export const SharingContext = createContext<Sharing | undefined>(undefined);

/** Makes the permission to share known to the tool calls of a conversation that one may continue. */
export const SharingProvider = SharingContext.Provider;
