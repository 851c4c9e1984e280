import type { GroupId, PatchOf } from "~/platform/settings/groups/index.schema";
import type { MockServer } from "../../support/mock-server";
import type { startPushService } from "../../support/push-service";
import type { TestServer } from "../../support/server";

/** The console under test and what it calls. */
export interface Installation {
  server: TestServer;
  /** Model providers, model hubs, a mirror for traces and a host for webhooks, each under a path of its own. */
  upstream: MockServer;
  /** Id of a key reference that is bound to `upstream`. */
  scanKey: string;
  push: Awaited<ReturnType<typeof startPushService>>;
  /** Pages that were read since the last change, by their paths. */
  pages: Map<string, Promise<Document>>;
}

/** How a setting is changed on its screen, and how the change shows. */
export interface Effect {
  /** The field's form value; null for a switch that is turned off. */
  to: string | null | ((installation: Installation) => string);
  /** Settings that have to be in place for the effect to show, by group. */
  given?: (installation: Installation) => { [I in GroupId]?: PatchOf<I> };
  /** Reads the setting's visible effect. */
  observe: (installation: Installation) => Promise<unknown>;
  /** The effect of the default. */
  before: unknown;
  /** The effect of the changed setting. */
  after: unknown;
  /** Whether a background job brings the effect about. */
  eventually?: true;
  /** Whether it is seen where another setting of its group is seen, and so not saved together with them. */
  alone?: true;
  /** Whether it can only be changed over HTTPS. */
  secure?: true;
}

export type Effects<I extends GroupId> = Record<keyof PatchOf<I> & string, Effect>;
