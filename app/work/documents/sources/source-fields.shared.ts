// What server and screen share; without zod, to keep the bundle small.

import type { FieldSpec } from "~/core/field.schema";

export const SOURCE_KINDS = ["folder", "s3", "git", "webdav"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export const KIND_LABELS: Readonly<Record<SourceKind, { label: string; hint: string }>> = {
  folder: { label: "Folder on the server", hint: "One that an operator named in SOURCE_FOLDERS" },
  s3: { label: "S3-compatible storage", hint: "Amazon S3, MinIO, Ceph, R2 and others" },
  git: { label: "Git repository", hint: "Over HTTPS: GitHub, GitLab, Gitea and others" },
  webdav: { label: "WebDAV or Nextcloud", hint: "A folder of a WebDAV server" },
};

const text = (label: string, maxLength: number, more: Partial<FieldSpec> = {}): FieldSpec => ({
  label,
  ...more,
  control: { kind: "text", maxLength },
});

const address = (hint: string): FieldSpec => text("Address", 500, { hint, required: true });
const prefix = (of: string) =>
  text("Folder", 500, { hint: `Only files below this folder of the ${of}. Blank for all.` });

/** Where a source lies, by its kind. */
export const PLACE_FIELDS = {
  folder: { folder: text("Folder", 31, { required: true }) },
  s3: {
    address: address("Of the storage, such as https://s3.eu-central-1.amazonaws.com"),
    bucket: text("Bucket", 255, { required: true }),
    prefix: prefix("bucket"),
    region: text("Region", 60, { hint: "us-east-1 by default" }),
    accessKeyId: text("Access key ID", 128, { hint: "Blank for a public bucket" }),
  },
  git: {
    address: address("Such as https://github.com/acme/handbook.git"),
    branch: text("Branch or tag", 200, { hint: "Blank for the default branch" }),
    prefix: prefix("repository"),
    username: text("User name", 200, { hint: "Only if the host wants a certain one with its token" }),
  },
  webdav: {
    address: address("Of the folder, such as https://cloud.example.com/remote.php/dav/files/anna/Handbook"),
    username: text("User name", 200),
  },
} as const satisfies Record<SourceKind, Record<string, FieldSpec>>;

export const KEY_LABELS: Readonly<Record<SourceKind, string | undefined>> = {
  folder: undefined,
  s3: "Secret access key",
  git: "Access token",
  webdav: "Password",
};

export const SOURCE_LIMITS = { graceDays: 90, maxFiles: 10_000, maxMb: 20_000 } as const;

export const SOURCE_DEFAULTS = {
  folder: "",
  address: "",
  bucket: "",
  prefix: "",
  region: "us-east-1",
  accessKeyId: "",
  branch: "",
  username: "",
  keyId: "",
  category: "Uncategorized",
  visibility: "organisation",
  readers: [] as string[],
  sync: "daily",
  graceDays: 7,
  maxFiles: 2000,
  maxMb: 2000,
} as const;

export const SOURCES = "/rag/sources";
export const sourceAddress = (id: string) => `${SOURCES}/${encodeURIComponent(id)}`;
