import { z } from "zod";
import { openResultFile } from "~/ai/tools/files/result-files.service.server";
import { isShownImage } from "~/ai/tools/files/result-files.shared";
import { download, showImage } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tool-files/{id}",
  tag: "Tools",
  GET: endpoint({
    summary: "Get a file of a tool's result",
    description: "An image with the media type of its bytes; any other file as a download.",
    access: "screens.read",
    params: z.object({ id: z.string().max(100) }),
    produces: "application/octet-stream",
    handle: ({ actor, params, request, context }) => {
      const { sha: tag, ...file } = openResultFile(actor, params.id);
      if (isShownImage(file)) return showImage(request, { ...file, tag });
      return download(context, { ...file, pieces: [file.bytes] });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
