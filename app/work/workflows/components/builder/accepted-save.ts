import type { ClientActionFunctionArgs } from "@remix-run/react";

interface AcceptedSave {
  /** Of the saved workflow. */
  id: string | null;
}

let accepted: AcceptedSave | undefined;

/** The last save of the builder that the server accepted; each is another object. */
export const acceptedSave = (): AcceptedSave | undefined => accepted;

/**
 * Sends a form of the builder and remembers the save that it was. The router's own states in between can't tell: on a
 * slow page they are over before they are drawn.
 */
export async function sendBuilderForm({ serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  try {
    return await serverAction();
  } catch (thrown) {
    // A save and a run lead to the saved workflow, and so does no other form.
    const to = thrown instanceof Response && thrown.headers.get("Location");
    if (to) accepted = { id: new URL(to, window.location.href).searchParams.get("id") };
    throw thrown;
  }
}
