/** Rows for stores that speak no SQL: caches, queues, document stores. Pure data. */
import { stdinText } from "../shell/stdin";
import type { ReadCommand } from "./readCommands";
import { names, type ShellRule } from "./shellRule";

const LOOK = "Look first at what it holds.";
const EMPTIES_STORE =
  /^\s*(flushall|flushdb|flush_all|shutdown|swapdb|failover|cluster\s+reset|script\s+flush|function\s+flush)(?![\w:.-])/im;
/** In a script of the store's own. */
const CALLS_EMPTY = /redis\.p?call\s*\(\s*['"](?:flushall|flushdb|shutdown)/i;

/** What stands on standard input, as far as the text tells it. */
function givenTexts({ located }: ReadCommand): readonly string[] {
  const stdin = stdinText(located.command);
  return [located.command.heredoc ?? "", ...(stdin.kind === "text" ? stdin.texts : [])];
}

export const STORE_ROWS: readonly ShellRule[] = [
  {
    id: "redis.flush",
    programs: names("redis-cli valkey-cli keydb-cli iredis"),
    when: ({ words, read }) =>
      [...words, ...givenTexts(read)].some((word) => EMPTIES_STORE.test(word) || CALLS_EMPTY.test(word)) ||
      (read.fed && words.some((word) => /^(?:del|unlink|hdel|zrem|srem)$/i.test(word))),
    reason: "It empties or stops the store.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      "echo FLUSHALL | redis-cli",
      "redis-cli KEYS '*' | xargs redis-cli DEL",
      "redis-cli EVAL \"return redis.call('FLUSHALL')\" 0",
      "redis-cli FLUSHALL",
      "redis-cli -h prod flushdb",
      "redis-cli <<< 'FLUSHALL'",
    ],
    staysQuietOn: ["redis-cli ping", "redis-cli GET flushall:1", "redis-cli DEL cache:a"],
  },
  {
    id: "store.flush_line",
    programs: names("nc ncat netcat socat telnet"),
    when: ({ read }) => givenTexts(read).some((text) => EMPTIES_STORE.test(text)),
    reason: "It empties or stops the store.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: ["echo FLUSHALL | nc localhost 6379", "echo flush_all | nc localhost 11211"],
    staysQuietOn: ["echo PING | nc localhost 6379", "nc -zv localhost 5432"],
  },
  {
    id: "store.flush_socket",
    programs: names("echo printf"),
    when: ({ words, read }) =>
      read.located.redirects.some(({ word }) => word.text.startsWith("/dev/tcp/")) &&
      words.some((word) => EMPTIES_STORE.test(word)),
    reason: "It empties or stops the store.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: ["echo FLUSHALL > /dev/tcp/localhost/6379"],
    staysQuietOn: ["echo PING > /dev/tcp/localhost/6379", "echo FLUSHALL"],
  },
  {
    id: "mongo.drop",
    programs: names("mongosh mongo"),
    when: ({ words, read }) =>
      /\.\s*(dropDatabase|drop|deleteMany|remove|dropIndexes|shutdownServer)\s*\(|\[\s*['"]drop/.test(
        [...words, read.located.command.heredoc ?? ""].join("\n"),
      ),
    reason: "It removes documents, collections or a database.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: ["mongosh --eval 'db.dropDatabase()'", "mongo shop --eval 'db.users.drop()'"],
    staysQuietOn: ["mongosh --eval 'db.users.find()'"],
  },
  {
    id: "mongo.restore_drop",
    programs: names("mongorestore pg_restore"),
    when: ({ words }) => words.some((word) => /^(--drop|--clean|-c)$/.test(word)),
    reason: "It drops what is there before it restores.",
    suggestion: "Restore into a new database.",
    onceOnly: true,
    firesOn: ["mongorestore --drop dump/", "pg_restore --clean -d a b.dump"],
    staysQuietOn: ["mongorestore dump/", "pg_restore -l a.dump"],
  },
  {
    id: "queue.remove",
    programs:
      /^(rabbitmqadmin|rabbitmqctl|kafka-topics(\.sh)?|kafka-delete-records(\.sh)?|kafka-consumer-groups(\.sh)?|kafka-configs(\.sh)?|kcat|nats|rpk|pulsar-admin|celery|rq|sidekiq)$/,
    when: ({ program, words }) =>
      /^kafka-delete-records/.test(program) ||
      words.some((word) =>
        /^(--delete|--reset-offsets|delete|delete_\w+|purge|purge_queue|reset|force_reset|clear_\w+|stop|stop_app|empty|rm|terminate)$/.test(
          word,
        ),
      ),
    reason: "It removes queues, topics or what waits in them.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: [
      "rabbitmqadmin delete queue name=q",
      "rabbitmqctl reset",
      "kafka-topics.sh --bootstrap-server b --delete --topic t",
      "kafka-topics --delete --topic t",
      "celery -A a purge",
    ],
    staysQuietOn: ["rabbitmqctl list_queues", "kafka-topics.sh --list", "celery -A a worker"],
  },
  {
    id: "ansible.shell",
    programs: names("ansible salt pssh parallel-ssh dsh clush mco"),
    when: ({ words }) =>
      words.some((word) =>
        /\b(rm\s+-\w*[rf]|shutdown|reboot|mkfs|dd\s+if=|systemctl\s+(stop|disable)|userdel)\b|state=absent/.test(
          word,
        ),
      ),
    reason: "It does this on many machines at once.",
    suggestion: "Let a person do it.",
    onceOnly: true,
    firesOn: ["ansible all -m shell -a 'rm -rf /srv'", "ansible all -m file -a 'path=/srv state=absent'"],
    staysQuietOn: ["ansible all -m ping", "ansible all -m shell -a uptime"],
  },
];
