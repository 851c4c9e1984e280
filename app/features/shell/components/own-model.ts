/** Set by a route's `handle.ownModel` from its loader data. */
export interface OwnModel {
  model: string;
  /** Receives the intent `model`; else the preference. */
  action?: string;
}

/** The currently displayed model. */
export interface ShownModel {
  model: string;
  onPick: (model: string) => void;
}

export interface ShellContext {
  showModel: (shown: ShownModel | undefined) => void;
}

/** The matched routes' own model. */
export function ownModelOf(matches: readonly { handle?: unknown; data: unknown }[]): OwnModel | undefined {
  for (const { handle, data } of matches) {
    if (!data || !handle || typeof handle !== "object" || !("ownModel" in handle)) continue;
    // A handle receives its own loader's data.
    return (handle.ownModel as (data: unknown) => OwnModel | undefined)(data);
  }
  return undefined;
}
