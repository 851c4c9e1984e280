import type { ClientActionFunctionArgs } from "@remix-run/react";

interface AcceptedSave {
  /** Of the saved workflow. */
  id: string;
}

let accepted: AcceptedSave | undefined;
let onAccepted: (() => void) | undefined;

/** The last save of the builder that the server accepted; each is another object. */
export const acceptedSave = (): AcceptedSave | undefined => accepted;

/** Runs at once when the form that is being sent is accepted, before the page says so. */
export function onceAccepted(run: () => void): void {
  onAccepted = run;
}

/**
 * Sends a form of the builder and remembers the save that it was. The router's own states in between can't tell: on a
 * slow page they are over before they are drawn.
 */
export async function sendBuilderForm({ serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  try {
    return await serverAction();
  } catch (thrown) {
    // A save and a run lead to the saved workflow. An ended session leads to the sign-in.
    const to = thrown instanceof Response && thrown.headers.get("Location");
    const { pathname, searchParams } = new URL(to || "", window.location.href);
    const id = searchParams.get("id");
    if (to && id && pathname === window.location.pathname) {
      accepted = { id };
      onAccepted?.();
    }
    throw thrown;
  }
}
