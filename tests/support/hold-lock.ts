import { lockDataDir } from "~/core/data-lock.server";

// A process that claims a data folder and keeps it until it is killed.
await lockDataDir(process.argv[2] ?? "", 0);
process.stdout.write("held\n");
setInterval(() => {}, 60_000);
