import { join } from "node:path";
import { openConnection, rawDatabase, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { planDuePolls } from "~/work/workflows/polls/polls.service.server";
import { startWorkflows } from "~/work/workflows/runs.service.server";
import { workflowJobs } from "~/work/workflows/workflows.jobs.server";

// A process with the checks of feeds and mailboxes, to be killed. Each start checks all of them at once; "done" is printed
// once all checks have ended.

const [folder = ""] = process.argv.slice(2);
setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, EGRESS_ALLOW: "127.0.0.1" });
setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
transaction(() => {
  rawDatabase().prepare("UPDATE workflow_polls SET next_at = 0, checked_at = NULL").run();
  rawDatabase()
    .prepare("UPDATE jobs SET run_at = 0 WHERE kind = 'workflows.poll' AND state = 'scheduled'")
    .run();
});
startWorkflows();
planDuePolls();
startJobs(workflowJobs);
const open = "SELECT 1 FROM workflow_polls WHERE checked_at IS NULL AND error IS NULL LIMIT 1";
setInterval(() => {
  if (rawDatabase().prepare(open).get() === undefined) process.stdout.write("done\n");
}, 50);
