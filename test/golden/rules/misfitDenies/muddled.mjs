process.stdout.write(JSON.stringify({ decision: "rewrite", updated_result: 1 }));
