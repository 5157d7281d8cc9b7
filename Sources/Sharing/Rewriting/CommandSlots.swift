import Captures

/// Passwords that commands are given: `mysql -u app -pZk9!wq`, `sshpass -p Zk9!wq`, `curl --user=ada:Zk9!wq`.
enum CommandSlots {
    /// `words`: of the text, in order.
    static func slots(_ words: [ArraySlice<UInt8>], in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var options: Options?
        for (place, word) in words.enumerated() {
            let plain = SentenceSlots.bare(word)
            if place > 0, endsLine(words[place - 1], before: word, in: text) { options = nil }
            if let known = programs[program(plain)] { options = known }
            if let task = options?.task, plain.elementsEqual(task.utf8) { options?.task = nil }
            guard word.first == 0x2d, let own = options else {
                // What ends a command.
                if word.elementsEqual("|".utf8) || word.last == 0x3b || word.elementsEqual("&&".utf8) {
                    options = nil
                }
                continue
            }
            slots += own.slots(of: word, next: place + 1 < words.count ? words[place + 1] : nil)
        }
        return slots
    }

    /// Whether a command ends behind a word, with its line.
    private static func endsLine(
        _ word: ArraySlice<UInt8>,
        before next: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        word.last != 0x5c && text[word.endIndex..<next.startIndex].contains(0x0a)
    }

    /// The name of a program, behind the folders that it stands in.
    private static func program(_ word: ArraySlice<UInt8>) -> String {
        word.count <= 80 ? SlotReader.string(word.split(separator: 0x2f).last ?? []) : ""
    }

    /// Of a program those that take a password.
    private struct Options {
        /// What the program is to do: its password stands behind this word only; nil where it stands anywhere.
        var task: String?
        /// Behind which one stands, as a word of its own.
        var apart: [String] = []
        /// Right behind which one stands, without a space.
        var glued: [String] = []
        /// The same of a user and a password with a colon between them.
        var gluedPairs: [String] = []

        func slots(of word: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) -> [Slot] {
            guard task == nil else { return [] }
            if let next, apart.contains(where: { word.elementsEqual($0.utf8) }) {
                // A port is none.
                return next.contains(where: \.isASCIILetter) ? slot("password", SentenceSlots.bare(next)) : []
            }
            if let value = rest(of: word, glued) { return slot("password", value) }
            guard let pair = rest(of: word, gluedPairs), let colon = pair.firstIndex(of: 0x3a) else {
                return []
            }
            return slot("username", pair[..<colon]) + slot("password", pair[(colon + 1)...])
        }

        private func rest(of word: ArraySlice<UInt8>, _ options: [String]) -> ArraySlice<UInt8>? {
            options.first { word.starts(with: $0.utf8) }.map {
                SentenceSlots.bare(word.dropFirst($0.utf8.count))
            }
        }

        private func slot(_ name: String, _ value: ArraySlice<UInt8>) -> [Slot] {
            value.count < 4 && name == "password" || value.isEmpty || value.first == 0x2d
                || value.first == 0x24
                ? [] : [Slot(name: name, range: value.startIndex..<value.endIndex)]
        }
    }

    private static let programs: [String: Options] = {
        var programs: [String: Options] = [:]
        func add(_ options: Options, _ names: String) {
            for name in names.split(separator: " ") { programs[String(name)] = options }
        }
        add(
            Options(glued: ["-p"]),
            "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mariadb mariadb-dump mariadb-admin"
        )
        add(Options(apart: ["-p"], glued: ["-p"]), "sshpass")
        // `docker run -p localhost:8080:80` is a port.
        add(Options(task: "login", apart: ["-p"]), "docker podman nerdctl helm oras skopeo az")
        add(Options(apart: ["-p"]), "mongo mongosh mongodump mongorestore")
        add(Options(apart: ["-a", "--pass"]), "redis-cli valkey-cli")
        add(Options(apart: ["-w"]), "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd")
        add(
            Options(apart: ["-storepass", "-keypass", "-srcstorepass", "-deststorepass"]),
            "keytool jarsigner"
        )
        add(Options(gluedPairs: ["-u", "--user=", "--proxy-user="]), "curl")
        return programs
    }()
}
