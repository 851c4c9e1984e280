import type { SourceRow } from "../sources.repo.server";
import { openFolder } from "./folder.server";
import { openGit } from "./git.server";
import { openS3 } from "./s3.server";
import type { OpenKind, OpenSource } from "./source-kind.server";
import { openWebdav } from "./webdav.server";

const KINDS: Readonly<Record<SourceRow["kind"], OpenKind>> = {
  folder: openFolder,
  s3: openS3,
  git: openGit,
  webdav: openWebdav,
};

export const openSource = (source: SourceRow): OpenSource => KINDS[source.kind](source);
