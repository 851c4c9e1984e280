/** A screen's own model as its loader knows it: in its route's `handle.ownModel`, which is given the loader's data. */
export interface OwnModel {
  model: string;
  /** Takes the choice, with the intent `model`; the person's preference without it. */
  action?: string;
}

/** The same as the screen shows it now. */
export interface ShownModel {
  model: string;
  onPick: (model: string) => void;
}

/** What the shell hands to the screens within it. */
export interface ShellContext {
  showModel: (shown: ShownModel | undefined) => void;
}

/** What the routes that are shown say of their own model. */
export function ownModelOf(matches: readonly { handle?: unknown; data: unknown }[]): OwnModel | undefined {
  for (const { handle, data } of matches) {
    if (!data || !handle || typeof handle !== "object" || !("ownModel" in handle)) continue;
    // A route's handle is given its own loader's data.
    return (handle.ownModel as (data: unknown) => OwnModel | undefined)(data);
  }
  return undefined;
}
