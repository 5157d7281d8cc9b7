import Testing

@testable import Sharing

/// Settings before a command in its line.
struct CommandSettingsTests {
    @Test(arguments: [
        ("API_SECRET=zem4 node server.js --port 80", ["API_SECRET=zem4"]),
        ("$ API_SECRET=zem4 PORT=80 /usr/bin/python3 app.py", ["API_SECRET=zem4", "PORT=80"]),
        ("export API_SECRET=zem4; ls -la", ["API_SECRET=zem4"]), ("A=1 && echo done", ["A=1"]),
        ("A='zem 4' B=\"x\" ./run", ["A=zem 4", "B=x"]), ("A=1 B=2", ["A=1", "B=2"]),
        ("env API_SECRET=zem4 worker --verbose now", ["API_SECRET=zem4"]),
        ("export A=1; export B=2", ["A=1", "B=2"]), ("SID=abc; HSID=def", ["SID=abc", "HSID=def"]),
        // More that is given something, and sentences.
        ("SID=abc; sid=def", []), ("A=1; some words", []), ("A=1 b=2", []),
        // A value with spaces in it, and what is no setting.
        ("SESSION_SECRET=keyboard cat", []), ("A=the dog - a cat", []), ("A=1", []),
        ("A='zem 4", []), ("A='zem4'x ./run", []), ("a=1 ./run", []), ("A=", []), ("=1 ./run", []), ("", []),
    ])
    func settingsEndBeforeTheCommand(line: String, told: [String]) {
        #expect(Slot.told(CommandSettings.slots(in: Array(line.utf8)[...]), line) == told)
    }

    @Test func commandInAFileIsNoSecret() {
        let text = "# start\nAPI_SECRET=zem4 node server.js --port 80\nSESSION_SECRET=keyboard cat\n"
        #expect(
            Slot.told(SlotReader.fields(Array(text.utf8)[...]), text)
                == ["API_SECRET=zem4", "SESSION_SECRET=keyboard cat"]
        )
    }
}
