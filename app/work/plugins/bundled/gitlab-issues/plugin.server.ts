import { z } from "zod";
import { clip } from "~/core/well-formed";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import {
  callTracker,
  IssueBody,
  IssueLimit,
  IssueNumber,
  IssueState,
  IssueTitle,
  trackerManifest,
} from "../issue-tracker.server";

const Project = z
  .string()
  .trim()
  .regex(/^[\w.-]{1,100}(?:\/[\w.-]{1,100}){1,10}$/, "Use group/name")
  .describe("Project as group/name");

const Issue = z.object({
  iid: z.number(),
  title: z.string(),
  state: z.string(),
  web_url: z.string(),
  description: z.string().nullish(),
  author: z.object({ username: z.string() }).nullish(),
  labels: z.array(z.string()).default([]),
  updated_at: z.string().default(""),
});

const toIssue = ({ iid, title, state, web_url, author, labels, updated_at }: z.infer<typeof Issue>) => ({
  number: iid,
  title,
  state,
  url: web_url,
  author: author?.username,
  labels,
  updatedAt: updated_at,
});

const call = (context: PluginContext, project: string, path: string, body?: unknown): Promise<unknown> =>
  callTracker(context, `/api/v4/projects/${encodeURIComponent(project)}/issues${path}`, {
    body,
    headersFor: (token) => ({ accept: "application/json", ...(token && { "private-token": token }) }),
  });

const STATES = { open: "opened", closed: "closed", all: "all" } as const;

export const gitlabIssues = definePlugin(
  {
    id: "gitlab-issues",
    title: "GitLab Issues",
    description:
      "Lists, reads and creates issues on gitlab.com or your own GitLab. Public projects need no account; a token by key reference opens private ones and creates issues.",
    tags: ["gitlab", "issues", "tickets"],
    version: "1.0.0",
    released: "2026-11-20",
    ...trackerManifest(
      "GitLab address",
      "Change it for your own GitLab, such as https://gitlab.example.com",
      "https://gitlab.com",
      "Leave blank for public projects",
    ),
  },
  [
    definePluginTool({
      name: "list",
      title: "List issues",
      description: "Lists a GitLab project's issues, the last updated first.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ project: Project, state: IssueState, limit: IssueLimit }),
      async run({ project, state, limit }, context) {
        const path = `?state=${STATES[state]}&order_by=updated_at&per_page=${limit}`;
        const issues = z.array(Issue).parse(await call(context, project, path));
        return { issues: issues.map(toIssue) };
      },
    }),
    definePluginTool({
      name: "read",
      title: "Read an issue",
      description: "Reads one issue of a GitLab project with its text.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ project: Project, number: IssueNumber }),
      async run({ project, number }, context) {
        const issue = Issue.parse(await call(context, project, `/${number}`));
        return { ...toIssue(issue), text: clip(issue.description ?? "", 10_000) };
      },
    }),
    definePluginTool({
      name: "create",
      title: "Create an issue",
      description: "Creates an issue in a GitLab project.",
      effect: "outside",
      input: z.object({ project: Project, title: IssueTitle, body: IssueBody }),
      run: async ({ project, title, body }, context) =>
        toIssue(Issue.parse(await call(context, project, "", { title, description: body }))),
    }),
  ],
);
