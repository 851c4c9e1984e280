declare module "hoodiecrow-imap" {
  interface Message {
    raw: string;
    uid?: number;
    flags?: string[];
  }
  interface ImapServer {
    users: Record<string, { password: string }>;
    folderCache: Record<string, { uidvalidity: number; uidnext: number; messages: unknown[] }>;
    appendMessage(folder: string, flags: string[], date: string | false, raw: string): void;
    listen(port: number, host: string, listening?: () => void): void;
    close(closed?: () => void): void;
    server: import("node:net").Server;
  }
  export default function hoodiecrow(options: {
    plugins?: string[];
    credentials?: { key: Buffer; cert: Buffer };
    storage?: Record<string, { messages?: Message[]; uidvalidity?: number; uidnext?: number }>;
  }): ImapServer;
}
