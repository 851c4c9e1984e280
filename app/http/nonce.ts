import { createContext, useContext, useState } from "react";

/** The response's nonce, on the server. */
export const Nonce = createContext<string | undefined>(undefined);

/** Browsers hide it from the attribute, but not from the property. */
const RECEIVED =
  typeof document === "undefined" ? "" : (document.querySelector<HTMLElement>("script[nonce]")?.nonce ?? "");

/** In the browser empty, as hydration finds it, and the page's own for a document that an error renders again. */
export function useNonce(): string | undefined {
  const nonce = useContext(Nonce);
  const [received] = useState(() =>
    typeof document !== "undefined" && "scripted" in document.documentElement.dataset ? RECEIVED : "",
  );
  return typeof document === "undefined" ? nonce : received;
}
