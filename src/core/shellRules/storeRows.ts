/** Rows for stores that speak no SQL: caches, queues, document stores. Pure data. */
import { names, type ShellRule } from "./shellRule";

const LOOK = "Look first at what it holds.";

export const STORE_ROWS: readonly ShellRule[] = [
  {
    id: "redis.flush",
    programs: names("redis-cli valkey-cli keydb-cli iredis"),
    when: ({ words, read }) =>
      [...words, read.located.command.heredoc ?? ""].some((word) =>
        /^\s*(flushall|flushdb|shutdown|swapdb|failover|cluster\s+reset|script\s+flush|function\s+flush)(?![\w:.-])/im.test(
          word,
        ),
      ),
    reason: "It empties or stops the store.",
    suggestion: LOOK,
    onceOnly: true,
    firesOn: ["redis-cli FLUSHALL", "redis-cli -h prod flushdb", "redis-cli <<< 'FLUSHALL'"],
    staysQuietOn: ["redis-cli ping", "redis-cli GET flushall:1", "redis-cli DEL cache:a"],
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
    id: "search.remove",
    programs: names("curl wget http https xh"),
    when: ({ words }) => {
      const deletes =
        words.some(
          (word, at) =>
            /^(-X|--request=?)?DELETE$/i.test(word) &&
            (/^-/.test(word) || /^(-\w*X|--request|--method)$/.test(words[at - 1] ?? "") || at === 0),
        ) || words.some((word) => /^--(method|request)=DELETE$/i.test(word));
      return (
        deletes &&
        words.some(
          (word) =>
            /^(https?:\/\/)?(?!localhost|127\.|\[::1\]|0\.0\.0\.0)[\w.-]+\.[\w.-]+/.test(word) &&
            !/^-/.test(word),
        )
      );
    },
    reason: "It removes something on a server.",
    suggestion: "Look first with GET.",
    firesOn: ["curl -X DELETE https://api.example.com/users/1", "curl -XDELETE https://es.example.com/index"],
    staysQuietOn: [
      "curl -X DELETE http://localhost:3000/api/users/1",
      "curl https://example.com/DELETE",
      "curl -X POST https://example.com",
    ],
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
