import type { ShouldRevalidateFunction } from "@remix-run/react";

/**
 * A screen's `shouldRevalidate` where its form posts the version that was read: a save that came too late needs the present
 * version to be saved again. After other refusals nothing has changed, and Remix loads nothing.
 */
export const revalidateOnConflict: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus === 409 || defaultShouldRevalidate;
