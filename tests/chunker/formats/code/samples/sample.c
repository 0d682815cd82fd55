#include <stdio.h>
#include <stdlib.h>

#ifndef LIMIT
#define LIMIT 3
#endif

/* A point. */
struct point {
    int x;
    int y;
};

typedef struct node {
    struct node *next;
    int value;
} node_t;

enum color {
    RED,
    GREEN,
};

static const int table[] = {
    1,
    2,
};

/*
 * Finds a node.
 */
static struct node *find(struct node *first, int value)
{
    for (; first; first = first->next) {
        if (first->value == value)
            return first;
    }
    return NULL;
}

// Gives a function.
int (*choose(int which))(int)
{
    switch (which) {
    case 0:
        return abs;
    default:
        return NULL;
    }
}

#ifdef DEBUG
// Prints all.
void print_all(struct node *first)
{
    while (first) {
        printf("%d\n", first->value);
        first = first->next;
    }
}
#endif

int main(int argc, char **argv)
{
    return 0;
}
