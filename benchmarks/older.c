/* Plays a processor with fewer instructions: every CPUID of a library was replaced by UD2, which is as long; whoever meets one is
   told what the processor says, without the bits in $LEXPRINT_HIDDEN: "leaf:subleaf:register:mask ..." with numbers in hexadecimal,
   registers 0 to 3 for eax, ebx, ecx, edx. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static struct { unsigned leaf, subleaf, at, mask; } hidden[16];
static int count;

static void answer(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)registers[REG_RIP];
    if (code[0] != 0x0f || code[1] != 0x0b) {
        signal(number, SIG_DFL); /* somebody else's fault: it is met again, and ends the program */
        return;
    }
    unsigned leaf = registers[REG_RAX], subleaf = registers[REG_RCX], found[4];
    __cpuid_count(leaf, subleaf, found[0], found[1], found[2], found[3]);
    for (int index = 0; index < count; index++)
        if (hidden[index].leaf == leaf && hidden[index].subleaf == subleaf)
            found[hidden[index].at] &= ~hidden[index].mask;
    registers[REG_RAX] = found[0];
    registers[REG_RBX] = found[1];
    registers[REG_RCX] = found[2];
    registers[REG_RDX] = found[3];
    registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void) {
    const char *wanted = getenv("LEXPRINT_HIDDEN");
    for (int length; wanted && count < 16; wanted += length, count++)
        if (sscanf(wanted, " %x:%x:%x:%x%n", &hidden[count].leaf, &hidden[count].subleaf, &hidden[count].at,
                   &hidden[count].mask, &length) != 4)
            break;
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &action, NULL);
}
