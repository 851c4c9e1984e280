import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * A screen's `shouldRevalidate` where its form posts the version that was read: after a conflict the form needs the current
 * version. After other refusals nothing has changed, and Remix loads nothing.
 */
export const revalidateOnConflict: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus === 409 || defaultShouldRevalidate;
