/** A thread that reads parts of a log ahead of the one who judges it. Opens no file and decides nothing. */
import { parentPort } from "node:worker_threads";
import { createPartReader, type PartJob } from "./auditVerifyPart";

const readPart = createPartReader();

parentPort?.on("message", (job: PartJob) => parentPort?.postMessage(readPart(job)));
