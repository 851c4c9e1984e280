import { log } from "~/core/log.server";
import { registerActorNames } from "~/team/members/actor-names.service.server";
import { registerPersonaUses } from "~/work/personas/personas.service.server";
import { dropEngine, engine } from "./engine/local-engine.server";
import { workflowsByPersona } from "./personas-in-workflows.service.server";
import { listWorkflowNames } from "./workflows.service.server";

/** @returns a stop function; the next process continues the runs */
export function startWorkflows(): () => Promise<void> {
  const continued = engine().recover();
  if (continued > 0) log.warn("resumed workflow runs", { count: continued });
  const forgetNames = registerActorNames((actor) =>
    Object.fromEntries(listWorkflowNames(actor).map(({ id, name }) => [`workflow:${id}`, name])),
  );
  const forgetUses = registerPersonaUses(workflowsByPersona);
  return async () => {
    forgetNames();
    forgetUses();
    await engine().stop();
    dropEngine();
  };
}
