/** `twiceshy config`: its help. The work is in config-check.ts. */
import { Command } from 'commander';

export function configCommand(): Command {
  const command = new Command('config').description('look at a configuration');
  command
    .command('check')
    .description(
      'validate a configuration without starting: keys, files, certificates, URLs, TLS combinations',
    )
    .argument('[file]', 'the configuration')
    .option('-c, --config <file>', 'the same, as the proxy takes it')
    .addHelpText(
      'after',
      '\nAll problems are listed at once, each with the path of its key. Exit code 2 when there are any.' +
        '\n\nExample:\n  $ twiceshy config check -c config.yaml',
    )
    .action(async (file: string | undefined, { config }: { config?: string }) => {
      const { checkConfig } = await import('./config-check.js');
      checkConfig(config ?? file);
    });
  return command;
}
