/** Notes for what this account may not do. */
import type { NoteTemplate } from '../../../src/core/notes/templates.js';

/** Rights are not the statement's to change: the note says so and stops. */
export const permission: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '1045':
    case '1698':
    case '1873':
    case '6126':
    case '6127':
      return 'The server does not accept this login: no statement can change that. Ask for valid credentials.';
    case '3118':
    case '3955':
    case '4150':
    case '4151':
      return 'The account is locked: no statement of its own can change that. Ask whoever runs the server.';
    case '1820':
    case '1862':
      return 'The password of this account has expired: set a new one with ALTER USER USER() IDENTIFIED BY ..., before anything else.';
    case '1148':
    case '3948':
    case '4166':
      return 'LOAD DATA LOCAL is switched off: it needs local_infile on the server and in the client. Else send the rows with INSERT, many in one statement.';
    case '1290':
      return 'The server reads and writes files only where secure_file_priv allows: use a path below SELECT @@secure_file_priv, LOAD DATA LOCAL for a file of the client, or SELECT without INTO.';
    case '1419':
      return 'With the binary log on, this account may not create functions or triggers, and no form of the statement can change that. Ask for SET log_bin_trust_function_creators, or stop here.';
    case '1094':
    case '1095':
    case '1979':
      return 'Only the account that runs a session may KILL it, or one with the privilege for it. Stop here.';
    case '1142':
    case '1143':
    case '1370':
      return 'This account has no right to do this, and no form of the statement can change that. SHOW GRANTS lists what it may do; ask the owner for a GRANT, or stop here.';
    case '1044':
      return 'This account has no right in this database, and no form of the statement can change that. SHOW GRANTS lists where it has; ask for a GRANT, or stop here.';
    case '3530':
    case '1959':
      return 'The role is not granted to this account: ask for GRANT role TO it, or stop here.';
    default:
      return 'This account has no right to do this, and no form of the statement can change that. Ask for the privilege that the message names, or stop here.';
  }
};
