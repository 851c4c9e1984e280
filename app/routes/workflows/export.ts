import { exportWorkflow } from "~/features/workflows/exchange.service.server";
import { downloadJson } from "~/http/download.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params }) => {
    const workflow = exportWorkflow(actor, params.workflowId ?? "");
    return downloadJson(workflow.name, "workflow", workflow);
  },
});

export { loader };
