import { kvGet, kvSet } from "~/ai/kv/kv.tool.server";
import { httpRequest } from "~/ai/tools/http-request.tool.server";
import type { Tool } from "~/ai/tools/tool.shared";
import { webFetch } from "~/ai/tools/web-fetch.tool.server";
import { generateImage } from "~/work/chat/attachments/image.tool.server";
import { remember } from "~/work/chat/memories/memories.tool.server";
import { askPersona } from "~/work/chat/temporary/ask-persona.tool.server";
import { ingestQueue } from "~/work/documents/ingest-queue.tool.server";
import { qdrantSearch } from "~/work/search/qdrant-search.tool.server";
import { loadSkillTool } from "~/work/skills/skills.tool.server";

/** The console's own tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  webFetch,
  qdrantSearch,
  httpRequest,
  kvSet,
  kvGet,
  ingestQueue,
  remember,
  loadSkillTool,
  askPersona,
  generateImage,
];
