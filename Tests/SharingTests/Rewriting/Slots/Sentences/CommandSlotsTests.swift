import Testing

@testable import Sharing

/// Passwords among the arguments of commands.
struct CommandSlotsTests {
    @Test(arguments: [
        ("mysql -u root -pzem4 --host db", ["zem4"]), ("/usr/bin/mysqldump -uapp -p'zem4!' shop", ["zem4!"]),
        ("sshpass -p zem4K ssh max@host", ["zem4K", "max"]),
        ("docker login -u max -p zem4K r.example", ["max", "zem4K"]),
        ("redis-cli -h cache -a zem4K ping", ["zem4K"]), ("ldapsearch -x -D cn=admin -w zem4K", ["zem4K"]),
        ("keytool -list -storepass zem4K", ["zem4K"]),
        ("curl -umax:zem4 https://x.example", ["max", "zem4"]),
        ("curl --user=max:zem4 https://x.example", ["max", "zem4"]),
        ("sqlcmd -S db -U sa -P zem4K -Q x", ["zem4K"]), ("bcp t out x -U sa -Pzem4K", ["zem4K"]),
        ("http -a max:zem4K https://x.example", ["max", "zem4K"]),
        ("smbclient //s/x -U max%zem4K", ["max", "zem4K"]),
        ("sqlplus -S 'max/zem4K@//db:1521/x'", ["max", "zem4K"]),
        ("rman target max/zem4K@db log x", ["max", "zem4K"]), ("rman target / log x/zem4K", []),
        ("xfreerdp /u:max /p:zem4K /v:host", ["zem4K"]),
        // Whom they sign in.
        ("docker login --username max r.example", ["max"]), ("curl -u max https://x.example", ["max"]),
        ("scp -P 22 x.txt max@db7:/srv/x", ["max"]), ("ssh -l max db7", ["max"]),
        ("$ kinit max; ls", ["max"]), ("$ kinit max", ["max"]),
        ("kinit -kt /etc/x max@CORP", ["max"]), ("kinit -l 7d max7", ["max7"]),
        ("the kinit failed", []), ("kinit HTTP/db7@CORP", []), ("ssh git@db7", []), ("ssh root@db7", []),
        ("docker login -u AWS r.example", []), ("docker login -u $NAME r.example", []),
        ("docker login -u oauth2accesstoken r.example", []), ("docker run -u max shop", []),
        ("ssh -l", []), ("curl --user-agent max https://x.example", []),
        // The last word that is no option.
        ("net use z: \\\\srv\\x /user:max zem4K!", ["zem4K!"]),
        ("net use \\\\srv\\x zem4K! /user:max", ["zem4K!"]),
        ("net user max zem4K! /add", ["zem4K!"]), ("htpasswd -nb max zem4K! > users", ["zem4K!"]),
        ("htpasswd -b users.txt max zem4K! # as it was told", ["zem4K!"]),
        ("the net use of known clients is error-prone", []),
        ("htpasswd users.txt", []), ("net user max /add", []), ("sqlplus /nolog", []),
        ("unzip x/zem4K!.zip", []),
        // A port, a variable, another option, another program.
        ("docker run -p 8080:80 shop", []), ("docker run -p localhost:8080:80 shop", []),
        ("docker compose -p zem4K up", []), ("mysql -p$PASSWORD", []), ("redis-cli -a --no-auth", []),
        ("mkdir -p zem4K", []), ("mysql -h db | grep -pzem4", []), ("curl -s -o out https://x.example", []),
        // A command ends with its line, unless that goes on.
        ("mongo db\nssh -p zem4K host", []), ("mysql -u root \\\n  -pzem4", ["zem4"]),
    ])
    func commandTells(text: String, values: [String]) {
        let bytes = Array(text.utf8)
        let slots = CommandSlots.slots(bytes.split { $0 <= 0x20 }, in: bytes[...])
        #expect(slots.map { String(decoding: bytes[$0.range], as: UTF8.self) } == values)
    }
}
