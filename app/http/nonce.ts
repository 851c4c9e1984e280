import { createContext, useContext } from "react";

/**
 * The nonce of the answer being rendered. Browsers hide it from scripts once they have read it, so that in the browser
 * there is none, and both renders agree on that.
 */
export const Nonce = createContext<string | undefined>(undefined);

export function useNonce(): string | undefined {
  const nonce = useContext(Nonce);
  return typeof document === "undefined" ? nonce : "";
}
